//! Which user of this machine holds the other end of a connection on loopback. An address says nothing there: all users
//! have 127.0.0.1. The kernel knows who made a socket, and is asked for exactly the one at the other end; where it answers
//! no such questions, its list of all sockets is read.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Number of the user that this process acts for.
pub fn own() -> u32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// Number of the user who holds the other end: `peer` is its address, `here` ours.
pub fn of(peer: SocketAddr, here: SocketAddr) -> Option<u32> {
    asked(peer, here).or_else(|| listed(peer, here))
}

/// Whether the kernel says who owns a connection: tried with one of our own.
pub fn owners_are_known() -> bool {
    let told = || -> std::io::Result<Option<u32>> {
        let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
        let stream = std::net::TcpStream::connect(listener.local_addr()?)?;
        Ok(of(stream.local_addr()?, stream.peer_addr()?))
    };
    matches!(told(), Ok(Some(user)) if user == own())
}

/// Bytes of a netlink header, and of a question about one socket (`inet_diag_req_v2`).
const HEADER: usize = 16;
const QUESTION: usize = 56;
/// Where the number of the user stands in the answer (`inet_diag_msg`, behind the header).
const USER_AT: usize = HEADER + 64;
/// `SOCK_DIAG_BY_FAMILY`: the kind of question, and of its answer.
const BY_FAMILY: u16 = 20;

/// Asks the kernel for one socket (`man 7 sock_diag`).
fn asked(peer: SocketAddr, here: SocketAddr) -> Option<u32> {
    let request = question(peer, here);
    // SAFETY: plain numbers; the descriptor is owned from here on.
    let socket = unsafe {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        let fd = libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_SOCK_DIAG);
        (fd >= 0).then(|| OwnedFd::from_raw_fd(fd))?
    };
    // SAFETY: reads as many bytes as the array has.
    let sent = unsafe { libc::send(socket.as_raw_fd(), request.as_ptr().cast(), request.len(), 0) };
    if sent != request.len() as isize {
        return None;
    }
    let mut answer = [0u8; 1024];
    // The kernel answers within the call above: there is nothing to wait for.
    // SAFETY: writes at most as many bytes as the array has.
    let length = unsafe { libc::recv(socket.as_raw_fd(), answer.as_mut_ptr().cast(), answer.len(), 0) };
    let answer = answer.get(..usize::try_from(length).ok()?)?;
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let user = answer.get(USER_AT..USER_AT + 4)?;
    (kind == BY_FAMILY).then(|| user.try_into().ok().map(u32::from_ne_bytes))?
}

/// The question as bytes: header, family and protocol, then the two ends as the peer sees them.
fn question(peer: SocketAddr, here: SocketAddr) -> [u8; HEADER + QUESTION] {
    let mut bytes = Vec::with_capacity(HEADER + QUESTION);
    bytes.extend(((HEADER + QUESTION) as u32).to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend((libc::NLM_F_REQUEST as u16).to_ne_bytes());
    bytes.extend([0; 8]); // a number of ours, nobody in particular
    let family = if peer.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    bytes.extend([family as u8, libc::IPPROTO_TCP as u8, 0, 0]);
    bytes.extend(u32::MAX.to_ne_bytes()); // in any state
    bytes.extend(peer.port().to_be_bytes());
    bytes.extend(here.port().to_be_bytes());
    for address in [peer.ip(), here.ip()] {
        match address {
            IpAddr::V4(address) => {
                bytes.extend(address.octets());
                bytes.extend([0; 12]);
            }
            IpAddr::V6(address) => bytes.extend(address.octets()),
        }
    }
    bytes.extend([0; 4]); // on any interface
    bytes.extend([0xff; 8]); // with any cookie
    let mut whole = [0; HEADER + QUESTION];
    whole.copy_from_slice(&bytes);
    whole
}

/// Looks for the socket in the lists of all.
fn listed(peer: SocketAddr, here: SocketAddr) -> Option<u32> {
    let found = |list: &str, peer: IpAddr, here_ip: IpAddr, port: u16| {
        let text = std::fs::read_to_string(list).ok()?;
        user_in(&text, &written(peer, port), &written(here_ip, here.port()))
    };
    found("/proc/net/tcp", peer.ip(), here.ip(), peer.port()).or_else(|| {
        // A socket for both kinds of addresses is listed with the others.
        found("/proc/net/tcp6", mapped(peer.ip()), mapped(here.ip()), peer.port())
    })
}

fn mapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) => IpAddr::V6(address.to_ipv6_mapped()),
        IpAddr::V6(_) => address,
    }
}

/// The user of the row with these two ends: `sl local remote state queues timer retransmits uid …`.
fn user_in(list: &str, peer: &str, here: &str) -> Option<u32> {
    list.lines().skip(1).find_map(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        (words.next()? == peer && words.next()? == here).then(|| words.nth(4)?.parse().ok())?
    })
}

/// An end of a connection as the lists write it: words of four bytes as this machine stores them, then the port.
fn written(address: IpAddr, port: u16) -> String {
    let octets: Vec<u8> = match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => Ipv6Addr::octets(&address).to_vec(),
    };
    let word = |bytes: &[u8]| format!("{:08X}", u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    format!("{}:{port:04X}", octets.chunks_exact(4).map(word).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn both_ways_tell_the_owner() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (peer, here) = (stream.local_addr().unwrap(), stream.peer_addr().unwrap());
        let listed = listed(peer, here);
        assert_eq!(listed, Some(own()));
        // Where the kernel answers no questions, the list is what there is.
        assert!(
            matches!(asked(peer, here), None | Some(_) if asked(peer, here).is_none_or(|user| user == own()))
        );
        assert_eq!(of(peer, here), Some(own()));
        let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
        assert_eq!(of(nobody, here), None);
        assert!(owners_are_known());
    }

    #[test]
    fn a_row_is_read() {
        let list = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     7        0 1 1 0 100 0 0 10 0\n\
            1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1\n\
            2: cut short";
        let end = |port| written(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), port);
        if cfg!(target_endian = "little") {
            assert_eq!(user_in(list, &end(0xd431), &end(8080)), Some(1000));
            assert_eq!(user_in(list, &end(8080), &end(0xd431)), None);
        }
    }
}
